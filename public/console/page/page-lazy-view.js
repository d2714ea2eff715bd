import { element } from '../kit/dom.js';
import { notLoaded, skeleton } from '../kit/states.js';

/**
 * A view whose modules and styles are loaded when it is first shown, so that those who never open it don't wait for them.
 *
 * @param view see page-router.js, without `mount`
 * @param options.load imports the module; becomes what mounts the view, with the same arguments and result
 * @param options.styles the paths of its style sheets
 */
export function lazyView(view, { load, styles }) {
  const mount = (root, session, page) => {
    const place = element('div', { className: 'view-body', 'aria-busy': 'true' });
    let mounted;
    let address;
    const open = async () => {
      place.replaceChildren(...skeleton());
      const begin = await loaded({ load, styles });
      place.setAttribute('aria-busy', 'false');
      if (session.signal.aborted) return;
      place.replaceChildren(...(begin === undefined ? [notLoaded({ refresh: open })] : []));
      mounted = begin?.(place, session, page);
      if (address !== undefined) mounted?.shown(address);
    };
    root.append(place);
    open();
    return {
      shown(current) {
        address = current;
        mounted?.shown(current);
      },
    };
  };
  return { ...view, mount };
}

/** @returns undefined: it could not be loaded */
async function loaded({ load, styles }) {
  try {
    const [begin] = await Promise.all([load(), ...styles.map(loadStyles)]);
    return begin;
  } catch {
    return undefined;
  }
}

/** Once for each page; before the view is shown, so that nothing moves. */
async function loadStyles(path) {
  if (document.querySelector(`link[href="${CSS.escape(path)}"]`) !== null) return;
  const link = element('link', { rel: 'stylesheet', href: path });
  const { promise, resolve, reject } = Promise.withResolvers();
  link.addEventListener('load', resolve);
  link.addEventListener('error', () => {
    link.remove();
    reject(new Error(path));
  });
  document.head.append(link);
  await promise;
}
