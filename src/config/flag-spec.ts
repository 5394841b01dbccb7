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
