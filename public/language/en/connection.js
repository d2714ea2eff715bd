/** Texts about the page's connection. */
export const connection = {
  states: { open: 'connected', connecting: 'connecting', waiting: 'not connected', closed: 'not signed in' },
  noResponse: 'no response',
  lost: 'Not connected to the server. What you see may be out of date, and nothing is sent until the connection is back.',
};
