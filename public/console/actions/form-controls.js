const CONTROLS = 'input, textarea, select';

/** What is entered in the controls below a node, in their order; to be kept. */
export function controlsOf(node) {
  return [...node.querySelectorAll(CONTROLS)].map(({ value, checked = false }) => [value, checked]);
}

/** Enters it again. @param kept of {@link controlsOf}: nothing is entered in a form that has other controls by now */
export function restoreControls(node, kept = []) {
  const controls = node.querySelectorAll(CONTROLS);
  if (controls.length !== kept.length) return;
  for (const [index, control] of controls.entries()) {
    const [value, checked] = kept[index];
    control.value = value;
    if ('checked' in control) control.checked = checked;
  }
}
