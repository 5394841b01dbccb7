import { spawnSync } from 'node:child_process'

/** Returns `$PROMTOOL`, or promtool of the PATH (Debian's package prometheus). Undefined if there is none. */
export function findPromtool(): string | undefined {
  const name = process.env.PROMTOOL ?? 'promtool'
  return spawnSync(name, ['--version']).status === 0 ? name : undefined
}

/** Returns the output of `promtool check metrics` for an exposition. */
export function promtoolFaults(program: string, text: string): string[] {
  const { stderr, stdout } = spawnSync(program, ['check', 'metrics'], { input: text, encoding: 'utf8' })
  return `${stdout}${stderr}`.split('\n').filter(line => line !== '')
}

const HEAD = /^# (HELP|TYPE) (\S+) ?(.*)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/
const TYPES = ['counter', 'gauge', 'histogram', 'summary']

/** The rules of `promtool check metrics` that an exposition can break by its names, and those of the text format. */
export function expositionFaults(text: string): string[] {
  const faults: string[] = []
  const types = new Map<string, string>()
  const helped = new Set<string>()
  const seen = new Set<string>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, word, name = '', rest = ''] = HEAD.exec(line) ?? []
    if (word === 'HELP') {
      if (helped.has(name)) faults.push(`${name} second HELP line`)
      if (rest === '') faults.push(`${name} no help text`)
      helped.add(name)
      continue
    }
    if (word === 'TYPE') {
      if (types.has(name)) faults.push(`${name} second TYPE line`)
      types.set(name, rest)
      continue
    }
    const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    if (sample === '' || (Number.isNaN(Number(value)) && !/^(?:[+-]Inf|NaN)$/.test(value))) faults.push(`cannot be read: ${line}`)
    if (seen.has(`${sample}{${labels}}`)) faults.push(`${sample}{${labels}} stands twice`)
    seen.add(`${sample}{${labels}}`)
    if (!types.has(sample) && types.get(sample.replace(/_(?:bucket|sum|count)$/, '')) !== 'histogram') faults.push(`${sample} has no type`)
  }
  for (const [name, type] of types) faults.push(...nameFaults(name, type))
  return faults
}

function nameFaults(name: string, type: string): string[] {
  const faults: string[] = []
  if (type === 'counter' && !name.endsWith('_total')) faults.push(`${name} counter metrics should have "_total" suffix`)
  if (type !== 'counter' && name.endsWith('_total')) faults.push(`${name} non-counter metrics should not have "_total" suffix`)
  if (type !== 'histogram' && name.endsWith('_bucket')) faults.push(`${name} non-histogram metrics should not have "_bucket" suffix`)
  if (type !== 'histogram' && type !== 'summary' && name.endsWith('_count'))
    faults.push(`${name} non-histogram and non-summary metrics should not have "_count" suffix`)
  if (type !== 'histogram' && type !== 'summary' && name.endsWith('_sum'))
    faults.push(`${name} non-histogram and non-summary metrics should not have "_sum" suffix`)
  if (TYPES.some(each => name.toLowerCase().split('_').includes(each))) faults.push(`${name} metric name should not include type`)
  if (/[a-z][A-Z]/.test(name)) faults.push(`${name} metric names should be written in 'snake_case' not 'camelCase'`)
  return faults
}
