/**
 * `settings`: a map of which a key may stand alone. `pairs`: a map whose values may have commas, one element each time that it is given; `pair`: one key and value likewise. `namedCertKey`: files of a certificate and its key, and names,
 * one element each time that it is given.
 */
export type FlagType = 'string' | 'ip' | 'bool' | 'int' | 'float' | 'duration' | 'list' | 'map' | 'settings' | 'pairs' | 'pair' | 'namedCertKey'

/**
 * What becomes of a flag: `used`; `ignored`: accepted, as it has nothing to act on here or only tunes kube-apiserver's insides, and a line of the log says so; `refused`: it would
 * change the outcome and is not built, so only the values listed as harmless (what is done anyway) are taken.
 */
export type FlagSpec =
  | { readonly status: 'used'; readonly type: FlagType; readonly help: string; readonly default?: string; readonly own?: true; readonly short?: string }
  | { readonly status: 'ignored'; readonly type: FlagType }
  | { readonly status: 'refused'; readonly type: FlagType; readonly harmless: readonly string[] }

/** A flag of kube-apiserver that does here what it does there. `preset`: its default, as text. */
export const used = (type: FlagType, help: string, preset?: string): FlagSpec => ({
  status: 'used',
  type,
  help,
  ...(preset !== undefined && { default: preset }),
})
/** A flag that kube-apiserver does not have. */
export const own = (type: FlagType, help: string, preset?: string): FlagSpec => ({
  status: 'used',
  type,
  help,
  own: true,
  ...(preset !== undefined && { default: preset }),
})
/** Taken, and without effect on what clients see. */
export const ignored = (type: FlagType): FlagSpec => ({ status: 'ignored', type })
/** Would change what clients see, and is not implemented; `harmless` values are those that ask for nothing. */
export const refused = (type: FlagType, ...harmless: string[]): FlagSpec => ({ status: 'refused', type, harmless })
