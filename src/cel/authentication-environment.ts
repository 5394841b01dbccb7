import { type Environment, extend } from './environment.ts'
import { parseType, structOf } from './type.ts'
import { USER_INFO, userInfoStruct } from './user-info.ts'

/**
 * What expressions about the claims of a token may speak of: `claims`, by their names.
 * Source: k8s.io/apiserver, pkg/authentication/cel.
 */
export const claimsEnvironment = (base: Environment): Environment => extend(base, { claims: parseType('map(string, any)') })

/** What expressions about the user whom the claims stand for may speak of: `user`. */
export const userEnvironment = (base: Environment): Environment =>
  extend(base, { user: structOf(USER_INFO) }, name => (name === USER_INFO ? userInfoStruct : undefined))
