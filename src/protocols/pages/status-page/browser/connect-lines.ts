/**
 * Completes the lines that connect clients: the address at which this browser reached the server, and a copy button.
 */
export function completeConnectLines(): void {
  const address = new URL('.', location.href).href.replace(/\/$/, '');
  for (const place of document.querySelectorAll('[data-address]')) place.textContent = address;
  // Over plain HTTP from another machine, browsers offer no clipboard; the lines can still be selected.
  if (!('clipboard' in navigator)) return;
  for (const lines of document.querySelectorAll('.client pre')) lines.before(copyButton(lines));
}

function copyButton(lines: Element): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(lines.textContent).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Not allowed'),
    );
  });
  return button;
}
