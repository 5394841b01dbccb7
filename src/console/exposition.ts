/** One sample of the text format of Prometheus. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /(?<!\w)([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' }

/** The samples of some metrics (https://prometheus.io/docs/instrumenting/exposition_formats/). Others are not looked at: there are thousands. */
export function samplesOf(text: string, names: ReadonlySet<string>): readonly Sample[] {
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const end = line.search(/[{ ]/)
    if (end <= 0 || !names.has(line.slice(0, end))) continue
    const [, name, labels = '', value = ''] = LINE.exec(line) ?? []
    if (name !== undefined) samples.push({ name, labels: labelsOf(labels), value: numberOf(value) })
  }
  return samples
}

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char)]))

const numberOf = (text: string): number => (text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text))

/** The sum of the samples of a metric by what a label says. */
export function sumsBy(samples: readonly Sample[], name: string, label: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const sample of samples) {
    if (sample.name !== name) continue
    const key = sample.labels[label] ?? ''
    sums.set(key, (sums.get(key) ?? 0) + sample.value)
  }
  return sums
}

/** What grew between two looks, for each key; a counter that is less has begun anew. */
export const growth = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...after].map(([key, value]) => [key, value >= (before.get(key) ?? 0) ? value - (before.get(key) ?? 0) : value]))

/** A quantile of a histogram, by its buckets (upper bounds as texts), interpolated as Prometheus does; undefined where it is empty. */
export function quantile(share: number, buckets: ReadonlyMap<string, number>): number | undefined {
  const sorted = [...buckets].map(([bound, count]) => [numberOf(bound), count] as const).sort(([a], [b]) => a - b)
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
