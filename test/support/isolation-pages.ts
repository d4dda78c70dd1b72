// Routes that the OpenAPI description leaves out, and that show no client's data to another client.

const page = (methods: string, path: RegExp) => new RegExp(`^(${methods}) ${path.source}$`)

export const PAGES: readonly RegExp[] = [
  /^GET \/metrics$/, // Names no client.
  page('GET', /\/openapi\.json/),
  page('GET', /\/docs(\/\{\}|\/guides\/\{\}|\/errors|\/search\.json|\/assets\/.*)?/),
  page('GET', /\//),
  page('GET', /\/dashboard(\/?\*|\/assets\/.*)?/), // The app, which fetches its data by the API.
  page('GET', /\/dashboard\/api\/banks/), // The names of banks are the same for everybody.
  page('GET', /\/pay\/(assets|colours|logos)\/.*/),
  page('GET', /\/pay\/\{\}\/qr\.svg/),
  page('GET|POST', /\/pay/), // For payers, who need only the reference of the advice.
  page('POST', /\/pay\/\{\}\/(sent|simulate)/),
  page('GET', /\/pay\/api\/stream/),
]
