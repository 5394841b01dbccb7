import { CIDR_FUNCTIONS, IP_FUNCTIONS } from './addresses.ts'
import { AUTHORIZATION_FUNCTIONS } from './authorization.ts'
import { CONVERSIONS } from './conversions.ts'
import { EXTENDED_LIST_FUNCTIONS } from './extended-lists.ts'
import { FORMAT_FUNCTIONS } from './formats.ts'
import type { Implementation, Implementations } from './implementation.ts'
import { LIST_FUNCTIONS } from './lists.ts'
import { MAP_FUNCTIONS, OPTIONAL_FUNCTIONS } from './optionals.ts'
import { QUANTITY_FUNCTIONS } from './quantities.ts'
import { REGEX_FUNCTIONS } from './regex.ts'
import { SEMVER_FUNCTIONS } from './semver.ts'
import { SET_FUNCTIONS } from './sets.ts'
import { STRING_FUNCTIONS } from './strings.ts'
import { TIME_PARTS } from './time-parts.ts'
import { URL_FUNCTIONS } from './urls.ts'

/**
 * Implementations of all libraries. Signature names are unique. Operators are in singletons.ts and
 * program/operators.ts.
 */
const LIBRARIES: readonly Implementations[] = [
  CONVERSIONS,
  STRING_FUNCTIONS,
  TIME_PARTS,
  LIST_FUNCTIONS,
  EXTENDED_LIST_FUNCTIONS,
  SET_FUNCTIONS,
  REGEX_FUNCTIONS,
  OPTIONAL_FUNCTIONS,
  MAP_FUNCTIONS,
  URL_FUNCTIONS,
  QUANTITY_FUNCTIONS,
  IP_FUNCTIONS,
  CIDR_FUNCTIONS,
  SEMVER_FUNCTIONS,
  FORMAT_FUNCTIONS,
  AUTHORIZATION_FUNCTIONS,
  // A single pass, so that an escape sequence is not escaped again.
  { string_jsonpatch_escapeKey_string: (key: string) => key.replace(/[~/]/g, char => (char === '/' ? '~1' : '~0')) },
]

/** Implementations by signature. */
export const FUNCTIONS: ReadonlyMap<string, Implementation> = new Map(
  LIBRARIES.flatMap(library => Object.entries(library) as [string, Implementation][]),
)
