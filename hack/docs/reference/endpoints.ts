import { sourceFiles } from '../../support/source-files.ts'
import { code, table } from './tables.ts'

/** Endpoints of the server besides the API and its discovery. */
const OWN: readonly (readonly [path: string, meaning: string])[] = [
  [
    '/healthz, /livez, /readyz',
    'Health. `?verbose` lists the checks, `?exclude=NAME` omits one, and `/readyz/NAME` runs one. Without credentials.',
  ],
  ['/version', 'The release that is served. Without credentials.'],
  ['/metrics', 'Metrics in Prometheus’ text format: see the reference of metrics.'],
  ['/.well-known/openid-configuration', 'The issuer of service account tokens, as OpenID Connect describes it.'],
  ['/openid/v1/jwks', 'Its public keys.'],
  ['/openapi/v2', 'The whole API in OpenAPI 2.'],
  ['/openapi/v3', 'An index, with a document for each group version below it.'],
  ['/debug/api_priority_and_fairness/dump_priority_levels', 'Priority levels and their seats.'],
  ['/debug/api_priority_and_fairness/dump_queues', 'Queues of priority levels.'],
  ['/debug/api_priority_and_fairness/dump_requests', 'Waiting requests; with `?includeRequestDetails=1` also their details.'],
]

/** Routes that parts of the server bring when a flag switches them on. */
function routesOfParts(): string[] {
  const found = sourceFiles('src')
    .filter(({ text }) => text.includes('OwnRoute'))
    .flatMap(({ text }) => [...text.matchAll(/path: '(\/[^']*)'/g)].map(([, path = '']) => path))
  return [...new Set(found)].sort()
}

/** `docs/reference/endpoints.md`. */
export function endpointsPage(): string {
  const parts = routesOfParts()
  return `# Endpoints

Endpoints of the server besides resources (\`/api\`, \`/apis\`) and their discovery. They are non-resource URLs to the authorizer: members of \`system:masters\` may read all of them, and rules with \`nonResourceURLs\` grant them to others.
\`kubectl get --raw PATH\` reads one.

${table(
  ['Path', 'Answer'],
  OWN.map(([path, meaning]) => [path.split(', ').map(code).join(', '), meaning]),
)}
${
  parts.length === 0
    ? ''
    : `\nThese are there when a flag switches their part on:\n\n${table(
        ['Path'],
        parts.map(path => [code(path)]),
      )}\n`
}`
}
