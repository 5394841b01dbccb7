import type { StructDeclaration } from './declarations.ts'
import { structWith } from './environment.ts'

/** Name of authentication.k8s.io UserInfo in expressions. */
export const USER_INFO = 'kubernetes.UserInfo'

export const userInfoStruct: StructDeclaration = structWith({
  username: 'string',
  uid: 'string',
  groups: 'list(string)',
  extra: 'map(string, list(string))',
})
