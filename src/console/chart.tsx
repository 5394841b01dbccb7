/** A line of a chart. Values are undefined if nothing was measured. */
export interface Series {
  /** Name in the legend. */
  readonly name: string
  /** Values at equal intervals, newest last. */
  readonly values: readonly (number | undefined)[]
}

interface ChartProps {
  readonly title: string
  /** Lines, which share one scale. */
  readonly series: readonly Series[]
  /** Number of values that fit into the width. */
  readonly length: number
  /** Prints a value with its unit. */
  print(value: number): string
}

const [WIDTH, HEIGHT] = [320, 96]

/** A line chart over time, newest value at the right, with a scale from 0. */
export function Chart({ title, series, length, print }: ChartProps) {
  const most = Math.max(...series.flatMap(({ values }) => values.map(value => value ?? 0)), 0)
  const top = most === 0 ? 1 : most * 1.1
  const newest = series.map(({ name, values }) => `${name} ${printed(values.at(-1), print)}`).join(', ')
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="muted">up to {print(most)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${newest}`}>
        <line x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} class="grid" />
        {series.map(({ name, values }, i) => (
          <path key={name} class={`series series-${i % 8}`} d={lineOf(values, length, top)} />
        ))}
      </svg>
      <ul class="chart-legend">
        {series.map(({ name, values }, i) => (
          <li key={name}>
            <span class={`swatch series-${i % 8}`} aria-hidden="true" />
            <bdi>{name}</bdi> <b>{printed(values.at(-1), print)}</b>
          </li>
        ))}
      </ul>
    </figure>
  )
}

const printed = (value: number | undefined, print: (value: number) => string): string => (value === undefined ? '–' : print(value))

/** Returns an SVG path. An undefined value interrupts the line. */
function lineOf(values: readonly (number | undefined)[], length: number, top: number): string {
  let line = ''
  let isBegun = false
  for (const [i, value] of values.entries()) {
    if (value === undefined) {
      isBegun = false
      continue
    }
    const x = ((length - values.length + i) / Math.max(length - 1, 1)) * WIDTH
    line += `${isBegun ? 'L' : 'M'}${x.toFixed(1)} ${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`
    isBegun = true
  }
  return line
}
