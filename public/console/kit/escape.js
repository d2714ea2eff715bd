/**
 * Lets Escape leave what is open within an element; of things within each other, the inner one first.
 *
 * @param leave returns whether there was something to leave
 */
export function onEscape(node, leave) {
  node.addEventListener('keydown', (event) => {
    // Escape also ends the composition of a character.
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
    if (leave()) event.preventDefault();
  });
}
