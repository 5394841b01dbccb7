import type { KeyPair } from '../../src/server/tls/issue.ts'
import type { ServerCredentials } from '../../src/server/tls/material.ts'

/** Credentials with those of the administrator, which are waited for. */
export type WholeCredentials = Omit<ServerCredentials, 'admin'> & { readonly admin: KeyPair }

/** Waits for the administrator's as well. */
export async function whole(begun: Promise<ServerCredentials>): Promise<WholeCredentials> {
  const credentials = await begun
  return { ...credentials, admin: await credentials.admin }
}
