/** A sample of the Prometheus text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /(?<!\w)([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' }

/**
 * Parses the samples of the named metrics (https://prometheus.io/docs/instrumenting/exposition_formats/). Others are
 * skipped, because there are thousands.
 */
export function samplesOf(text: string, names: ReadonlySet<string>): readonly Sample[] {
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const end = line.search(/[{ ]/)
    if (end <= 0 || !names.has(line.slice(0, end))) continue
    const [, name, labels = '', value = ''] = LINE.exec(line) ?? []
    if (name !== undefined) samples.push({ name, labels: parseLabels(labels), value: parseSample(value) })
  }
  return samples
}

const parseLabels = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char),
    ]),
  )

const parseSample = (text: string): number =>
  text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)

/** Sums the samples of a metric by the value of a label. */
export function sumsBy(samples: readonly Sample[], name: string, label: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const sample of samples) {
    if (sample.name !== name) continue
    const key = sample.labels[label] ?? ''
    sums.set(key, (sums.get(key) ?? 0) + sample.value)
  }
  return sums
}

/** Returns the increase of each counter between two scrapes. A counter that decreased was reset. */
export const growth = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...after].map(([key, value]) => [key, value >= (before.get(key) ?? 0) ? value - (before.get(key) ?? 0) : value]))

/**
 * Returns a quantile of a histogram, interpolated as in Prometheus. Undefined if the histogram is empty.
 * @param buckets cumulative counts by upper bound.
 */
export function quantile(share: number, buckets: ReadonlyMap<string, number>): number | undefined {
  const sorted = [...buckets].map(([bound, count]) => [parseSample(bound), count] as const).sort(([a], [b]) => a - b)
  const total = sorted.at(-1)?.[1] ?? 0
  if (total === 0) return undefined
  const wanted = share * total
  let [lowBound, lowCount] = [0, 0]
  for (const [bound, count] of sorted) {
    if (count >= wanted)
      return bound === Number.POSITIVE_INFINITY
        ? lowBound
        : lowBound + ((bound - lowBound) * (wanted - lowCount)) / Math.max(count - lowCount, Number.MIN_VALUE)
    ;[lowBound, lowCount] = [bound, count]
  }
  return lowBound
}
