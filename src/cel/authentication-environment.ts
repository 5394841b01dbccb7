import { type Environment, extend } from './environment.ts'
import { parseType, structOf } from './type.ts'
import { USER_INFO, userInfoStruct } from './user-info.ts'

/**
 * Environment of claim mappings and claim validation rules. Declares `claims`, the token's claims by name.
 * Source: k8s.io/apiserver, pkg/authentication/cel.
 */
export const claimsEnvironment = (base: Environment): Environment => extend(base, { claims: parseType('map(string, any)') })

/** Environment of user validation rules. Declares `user`, the UserInfo that the claims were mapped to. */
export const userEnvironment = (base: Environment): Environment =>
  extend(base, { user: structOf(USER_INFO) }, name => (name === USER_INFO ? userInfoStruct : undefined))
