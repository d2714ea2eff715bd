const response = await fetch('/openapi.json');
const description = await response.json();

// Requests go to the origin of this page, which PUBLIC_URL need not be: it may be opened through a tunnel.
const spec = { ...description, servers: [{ url: location.origin }] };
globalThis.SwaggerUIBundle({ spec, dom_id: '#reference', deepLinking: true, validatorUrl: null });
