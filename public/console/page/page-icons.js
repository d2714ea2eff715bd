const NAMESPACE = 'http://www.w3.org/2000/svg';
/** Lines on a square of 20. */
const LINES = {
  chat: ['M3 4.5h14v9.5H9l-3.5 3v-3H3z', 'M6.5 8h7M6.5 10.8h4.5'],
  accounts: ['M3 5h14v10H3z', 'M3.5 5.5 10 10.5l6.5-5'],
  automations: ['M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14z', 'M10 6v4l2.8 1.8'],
  actions: ['M11 2.5 4.5 11H10l-1 6.5L15.5 9H10z'],
  approvals: ['M10 2.5 16.5 5v5c0 4-3 6.6-6.5 7.5C6.5 16.6 3.5 14 3.5 10V5z', 'm7 9.8 2.2 2.2L13.2 8'],
  activity: ['M2.5 10.5h3.5l2-6 4 11 2-5h3.5'],
  apps: ['M7 3v4M13 3v4M5 7h10v3a5 5 0 0 1-10 0z', 'M10 15v2.5'],
  notifications: ['M5.5 8.5a4.5 4.5 0 0 1 9 0c0 4 1.5 5 1.5 5H4s1.5-1 1.5-5z', 'M8.3 16.3a2 2 0 0 0 3.4 0'],
  settings: [
    'M3 6h8M15 6h2M3 14h2M9 14h8',
    'M13 4.2a1.8 1.8 0 1 1 0 3.6a1.8 1.8 0 0 1 0-3.6z',
    'M7 12.2a1.8 1.8 0 1 1 0 3.6a1.8 1.8 0 0 1 0-3.6z',
  ],
};

/** A small drawing, hidden from assistive technology. @param name of a view */
export function icon(name) {
  const svg = document.createElementNS(NAMESPACE, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  for (const line of LINES[name] ?? []) {
    const path = document.createElementNS(NAMESPACE, 'path');
    path.setAttribute('d', line);
    svg.append(path);
  }
  return svg;
}
