/** Stability and deprecation of metrics by name, as texts: `ALPHA`, `STABLE, deprecated 1.37.0`. */
export type Metrics = ReadonlyMap<string, string>

/**
 * Reads metrics of Go files: the options that are passed to `metrics.NewCounterVec` and others. Names that are no
 * literals are written as in the file.
 */
export function readMetrics(texts: readonly string[]): Metrics {
  const found = new Map<string, string>()
  for (const text of texts) {
    const constants = new Map(
      [...text.matchAll(/^\s*(?:const\s+)?(\w+)\s+(?:string\s+)?= "([\w-]+)"/gm)].map(([, name = '', value = '']) => [name, value]),
    )
    for (const [, body = ''] of text.matchAll(/metrics\.\w+Opts\{\n([\s\S]*?)\n\s*\}/g)) {
      const member = (name: string): string | undefined => {
        const [, literal, constant] = new RegExp(`^\\s*${name}:\\s*(?:"([^"]*)"|([\\w.]+)),`, 'm').exec(body) ?? []
        return literal ?? (constant === undefined ? undefined : (constants.get(constant) ?? constant))
      }
      const name = [member('Namespace'), member('Subsystem'), member('Name')].filter(each => each !== undefined && each !== '').join('_')
      const deprecated = member('DeprecatedVersion')
      const level = member('StabilityLevel')?.replace(/^.*\./, '') ?? 'INTERNAL'
      if (name !== '') found.set(name, deprecated === undefined ? level : `${level}, deprecated ${deprecated}`)
    }
  }
  return found
}

/** Returns a line for each metric that differs between two releases. */
export function metricDifferences(before: Metrics, after: Metrics): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return names.flatMap(name => {
    const [was, is] = [before.get(name) ?? 'none', after.get(name) ?? 'none']
    return was === is ? [] : [`${name}: ${was} -> ${is}`]
  })
}
