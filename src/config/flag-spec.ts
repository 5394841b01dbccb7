/**
 * `settings`: a map in which a key may stand alone. `pairs`: a map whose values may contain commas; each repetition of
 * the flag is one element. `pair`: one key and value per repetition. `namedCertKey`: certificate, key and names, one
 * element per repetition.
 */
export type FlagType =
  | 'string'
  | 'ip'
  | 'bool'
  | 'int'
  | 'float'
  | 'duration'
  | 'list'
  | 'map'
  | 'settings'
  | 'pairs'
  | 'pair'
  | 'namedCertKey'

/**
 * Handling of a flag. `used`: has an effect. `ignored`: accepted and logged, because it only tunes kube-apiserver's
 * internals. `refused`: not implemented, and ignoring it would change the outcome; only the harmless values, which
 * request the existing behaviour, are accepted.
 */
export type FlagSpec =
  | {
      readonly status: 'used'
      readonly type: FlagType
      readonly help: string
      readonly default?: string
      readonly own?: true
      readonly short?: string
    }
  | { readonly status: 'ignored'; readonly type: FlagType }
  | { readonly status: 'refused'; readonly type: FlagType; readonly harmless: readonly string[] }

/** A flag of kube-apiserver with the same meaning. @param preset default, as text. */
export const used = (type: FlagType, help: string, preset?: string): FlagSpec => ({
  status: 'used',
  type,
  help,
  ...(preset !== undefined && { default: preset }),
})
/** A flag that kube-apiserver does not have. */
export const ownFlag = (type: FlagType, help: string, preset?: string): FlagSpec => ({
  status: 'used',
  type,
  help,
  own: true,
  ...(preset !== undefined && { default: preset }),
})
/** A flag that is accepted and has no effect on clients. */
export const ignored = (type: FlagType): FlagSpec => ({ status: 'ignored', type })
/**
 * A flag that is not implemented and would affect clients. @param harmless values that request the existing behaviour.
 */
export const refusedFlag = (type: FlagType, ...harmless: string[]): FlagSpec => ({ status: 'refused', type, harmless })
