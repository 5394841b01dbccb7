import type { MetricFamily } from '../../../src/lib/metrics.ts'
import { metricStateOf } from '../../../src/lifecycle/metric-lives.ts'
import { DEFAULT_RELEASE, RELEASES, type Release } from '../../../src/lifecycle/release.ts'
import { processMetrics } from '../../../src/server/metrics/metrics-registry.ts'
import { registeredFamilies } from './families.ts'
import { code, plain, table } from './tables.ts'

/** Describes in which releases a metric exists, and how stable it is. */
function lifeOf({ name, stability }: MetricFamily): string {
  const there = RELEASES.flatMap(release => {
    const state = metricStateOf(name, stability, release)
    return state === undefined || state.hidden ? [] : [{ release, ...state }]
  })
  const changes = there.filter((state, i) => i > 0 && there[i - 1]?.stability !== state.stability)
  const deprecated = there.find(state => state.deprecated !== undefined)?.deprecated
  return [
    ...(there[0]?.release === RELEASES[0] ? [] : [`from ${there[0]?.release ?? 'no release'}`]),
    ...changes.map(state => `${state.stability} from ${state.release}`),
    ...(deprecated === undefined ? [] : [`deprecated in ${deprecated}`]),
    ...(there.at(-1)?.release === RELEASES.at(-1) ? [] : [`shown up to ${there.at(-1)?.release}`]),
  ].join(', ')
}

const stabilityIn = (release: Release, { name, stability }: MetricFamily): string =>
  metricStateOf(name, stability, release)?.stability ?? ''

const rowOf = (family: MetricFamily): string[] => [
  code(family.name),
  family.type,
  stabilityIn(DEFAULT_RELEASE, family),
  family.labels.map(code).join(', '),
  plain(family.help),
  lifeOf(family),
]

/** `docs/reference/metrics.md`: every family that a server registers, whatever its flags. */
export async function metricsPage(): Promise<string> {
  const families = await registeredFamilies()
  const ofProcess = await processMetrics().getMetricsAsJSON()
  return `# Metrics

The metrics that \`/metrics\` serves in Prometheus' text format. A family without samples has its \`HELP\` and \`TYPE\` lines. Some families need the flag that switches their part on, such as
\`--audit-policy-file\`, \`--encryption-provider-config\` or \`--authentication-config\`.

- The class (STABLE, BETA, ALPHA) is that of release ${DEFAULT_RELEASE}; with \`--emulated-version\` it is that of the emulated release. The last column says what differs in the releases ${RELEASES[0]} to ${RELEASES.at(-1)}.
- Who may read it: members of \`system:masters\`, and users with the role \`system:monitoring\`.
- \`--disabled-metrics\`, \`--allow-metric-labels\` and \`--show-hidden-metrics-for-version\` select what is shown.
- A family has at most 10,000 sets of labels. Further sets are counted with all labels \`other\`.
- With \`--workers\` the figures are sums over all workers, and \`binnacle_worker_restarts_total\` counts workers that were replaced.

## Of the server

${table(['Name', 'Type', 'Class', 'Labels', 'Help', 'Releases'], families.map(rowOf))}

## Of the process

With \`--workers\` they have the label \`worker\`.

${table(
  ['Name', 'Type', 'Help'],
  ofProcess.map(({ name, type, help }) => [code(name), String(type), plain(help)]),
)}
`
}
