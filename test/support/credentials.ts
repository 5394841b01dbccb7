import type { KeyPair } from '../../src/server/tls/issue.ts'
import type { Credentials } from '../../src/server/tls/material.ts'

/** Credentials with those of the administrator, which are waited for. */
export type WholeCredentials = Omit<Credentials, 'admin'> & { readonly admin: KeyPair }

/** Waits for the administrator's as well. */
export async function whole(begun: Promise<Credentials>): Promise<WholeCredentials> {
  const credentials = await begun
  return { ...credentials, admin: await credentials.admin }
}
