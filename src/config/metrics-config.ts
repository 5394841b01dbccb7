import { isJsonObject } from '../api/meta/object.ts'
import { parseYaml } from '../codec/yaml.ts'
import { readConfigFileSync } from '../lib/bounded-input.ts'
import { errorMessage } from '../lib/error-message.ts'
import { trimBoth } from '../lib/trim.ts'
import { previousRelease, type Release } from '../lifecycle/release.ts'
import type { LabelAllowLists, MetricExposure } from '../server/metrics/metric-exposure.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/**
 * Parses the metrics flags. Returns warnings for settings that are not fatal. Throws FlagError with the message of
 * k8s.io/component-base.
 */
export function metricsOf(read: FlagReader, release: Release): { readonly exposure: MetricExposure; readonly warnings: readonly string[] } {
  const shown = read.text('show-hidden-metrics-for-version')
  const before = previousRelease(release)
  if (shown !== undefined && shown !== before)
    throw new FlagError(
      `--show-hidden-metrics-for-version must be omitted or have the value '${before}'. Only the previous minor version is allowed`,
    )
  const given = read.list('allow-metric-labels').flatMap(pairsOf)
  for (const [key] of given)
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/.test(key))
      throw new FlagError('--allow-metric-labels must have a list of kv pair with format `metricName,labelName=labelValue, labelValue,...`')
  const manifest = given.length > 0 ? undefined : read.text('allow-metric-labels-manifest')
  const { pairs, warnings } = manifest === undefined ? { pairs: given, warnings: [] } : manifestPairs(manifest)
  const exposure = {
    release,
    showHidden: shown !== undefined,
    disabled: new Set(read.list('disabled-metrics')),
    allowedLabels: allowListsOf(pairs),
  }
  return { exposure, warnings }
}

type KeyValues = readonly [key: string, values: string]

/** Parses one value as pflag does: `metric,label=a,b`, or several in quotes, `"metric,label=a,b","other,label=c"`. */
function pairsOf(value: string): KeyValues[] {
  const equals = value.split('=').length - 1
  const texts = equals === 1 ? [trimBoth(value, '"')] : csvFields(value)
  return texts.map(text => {
    const at = text.indexOf('=')
    if (at < 0)
      throw new FlagError(
        `invalid argument ${JSON.stringify(value)} for "--allow-metric-labels" flag: ${text} must be formatted as key=value`,
      )
    return [text.slice(0, at), text.slice(at + 1)]
  })
}

/** Splits comma-separated values. Quoted values may contain commas. */
const csvFields = (line: string): string[] =>
  (line.match(/"(?:[^"]|"")*"|[^,]+/g) ?? ['']).map(field => field.replace(/^"|"$/g, '').replaceAll('""', '"'))

/** Reads the allow list manifest. As upstream, an unreadable file only causes a warning. */
function manifestPairs(file: string): { readonly pairs: readonly KeyValues[]; readonly warnings: readonly string[] } {
  let bytes: Buffer
  try {
    bytes = readConfigFileSync(file)
  } catch (error) {
    return { pairs: [], warnings: [`Failed to read allow list manifest: ${errorMessage(error)}`] }
  }
  try {
    const { value } = parseYaml(bytes)
    if (!isJsonObject(value)) throw new Error('it is not a map of strings')
    return { pairs: Object.entries(value).map(([key, text]): KeyValues => [key, checkText(text)]), warnings: [] }
  } catch (error) {
    return { pairs: [], warnings: [`Failed to parse allow list manifest: ${errorMessage(error)}`] }
  }
}

function checkText(value: unknown): string {
  if (typeof value !== 'string') throw new Error('it is not a map of strings')
  return value
}

/** Parses the allow lists by metric and label. */
function allowListsOf(pairs: readonly KeyValues[]): LabelAllowLists {
  const lists = new Map<string, Map<string, ReadonlySet<string>>>()
  for (const [key, values] of pairs) {
    const [metric = '', label = ''] = key.split(',')
    const labels = lists.get(metric) ?? new Map<string, ReadonlySet<string>>()
    lists.set(metric, labels.set(label, new Set(values.split(','))))
  }
  return lists
}
