import type { MetricFamily, Sample } from '../../lib/metrics.ts'
import { type Polled, PolledFamily } from '../../lib/polled-family.ts'
import { metricStateOf } from '../../lifecycle/metric-lives.ts'
import type { Release } from '../../lifecycle/release.ts'

/** Allowed label values, by metric name and label name (`--allow-metric-labels`). */
export type LabelAllowLists = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

/** Settings that determine which metrics are exposed, and how. */
export interface MetricExposure {
  /** Release whose metrics are exposed. */
  readonly release: Release
  /** Whether metrics that the release hides are exposed (`--show-hidden-metrics-for-version`). */
  readonly showHidden: boolean
  /** Names of metrics that are not exposed (`--disabled-metrics`). */
  readonly disabled: ReadonlySet<string>
  readonly allowedLabels: LabelAllowLists
}

/** Value that replaces label values which are not allowed. */
const UNEXPECTED = 'unexpected'

/**
 * Returns the families of the release without hidden and disabled ones. Their help has the stability level and any
 * deprecation notice. Adds the metrics on registration itself.
 */
export function exposedFamilies(families: readonly MetricFamily[], exposure: MetricExposure): MetricFamily[] {
  const registered = new Map<string, Polled>()
  const shown: MetricFamily[] = []
  const counts = { hidden: 0, unexpected: new Map<string, number>() }
  for (const family of families) {
    const state = metricStateOf(family.name, family.stability, exposure.release)
    if (state === undefined) continue
    const { stability, deprecated, hidden } = state
    const labels = [stability, deprecated ?? '']
    registered.set(labels.join(' '), [labels, (registered.get(labels.join(' '))?.[1] ?? 0) + 1])
    if (exposure.disabled.has(family.name)) continue
    if (hidden) counts.hidden++
    if (hidden && !exposure.showHidden) continue
    const help = deprecated === undefined ? family.help : `(Deprecated since ${deprecated}) ${family.help}`
    const allowed = exposure.allowedLabels.get(family.name)
    shown.push({
      ...described(family),
      stability,
      help,
      samples: () => (allowed ? constrained(family, allowed, counts) : family.samples()),
    })
  }
  return [...shown, ...ownFamilies(registered, counts, exposure)]
}

/** Returns the parts of a family other than its samples. */
const described = ({ name, type, labels, across }: MetricFamily) => ({ name, type, labels, ...(across && { across }) })

/** Merges samples that differ only in label values that are not allowed. Counts the merged observations in `counts`. */
function constrained(
  family: MetricFamily,
  allowed: ReadonlyMap<string, ReadonlySet<string>>,
  counts: { readonly unexpected: Map<string, number> },
): Iterable<Sample> {
  const sums = new Map<string, Sample>()
  let unexpected = 0
  for (const sample of family.samples()) {
    const labels = Object.fromEntries(
      Object.entries(sample.labels).map(([name, value]) => [name, allowed.get(name)?.has(value) === false ? UNEXPECTED : value]),
    )
    const odd = Object.values(labels).filter(value => value === UNEXPECTED).length
    if (family.type !== 'gauge' && (family.type === 'counter' || sample.metricName.endsWith('_count'))) unexpected += odd * sample.value
    const key = JSON.stringify([sample.metricName, sample.le, labels])
    const known = sums.get(key)
    sums.set(key, { ...sample, labels, value: sample.value + (known?.value ?? 0) })
  }
  counts.unexpected.set(family.name, unexpected)
  return sums.values()
}

/** Returns the metrics on registration. Source: k8s.io/component-base, metrics/registry.go. */
function ownFamilies(
  registered: ReadonlyMap<string, Polled>,
  counts: { readonly hidden: number; readonly unexpected: ReadonlyMap<string, number> },
  { disabled }: MetricExposure,
): MetricFamily[] {
  const own = (
    name: string,
    help: string,
    stability: 'ALPHA' | 'BETA',
    labels: readonly string[],
    values: () => Iterable<Polled>,
  ): MetricFamily => new PolledFamily('counter', { name, help, stability, labels, across: 'max' }, values)
  const families = [
    own(
      'registered_metrics_total',
      'The count of registered metrics broken by stability level and deprecation version.',
      'BETA',
      ['stability_level', 'deprecated_version'],
      () => registered.values(),
    ),
    own('disabled_metrics_total', 'The count of disabled metrics.', 'BETA', [], () => [[[], disabled.size]]),
    own('hidden_metrics_total', 'The count of hidden metrics.', 'BETA', [], () => [[[], counts.hidden]]),
    own(
      'cardinality_enforcement_unexpected_categorizations_total',
      'The count of unexpected categorizations during cardinality enforcement.',
      'ALPHA',
      [],
      () => [[[], [...counts.unexpected.values()].reduce((all, each) => all + each, 0)]],
    ),
  ]
  return families.filter(({ name }) => !disabled.has(name))
}
