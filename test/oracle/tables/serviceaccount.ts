import type { Secret } from '../../../src/api/core/v1.types.ts'
import type { TypedObject } from '../../../src/api/meta/object.ts'
import { mayBeFilled } from '../../../src/controllers/namespace-content.ts'
import { isTokenOf, missingData } from '../../../src/controllers/service-account-token.ts'

interface AccountsIn {
  readonly namespace: 'Active' | 'Terminating'
  readonly existing?: readonly string[]
  /** Account that was deleted. */
  readonly deleted?: string
}

function createdAccounts({ namespace, existing = [], deleted }: AccountsIn): string[] {
  const present = existing.filter(name => name !== deleted)
  const metadata = { name: 'n', ...(namespace === 'Terminating' && { deletionTimestamp: '2030-01-01T00:00:00Z' }) }
  return mayBeFilled({ kind: 'Namespace', apiVersion: 'v1', metadata }) && !present.includes('default') ? ['default'] : []
}

interface TokenIn {
  /** Name, `deleted` for an account that is gone, `other uid`, or null. */
  readonly account: string | null
  readonly token?: boolean
  readonly ca?: 'current' | 'other' | null
  readonly namespace?: boolean
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

function tokenSecret({ account, token = false, ca = null, namespace = true }: TokenIn): string {
  const secret: Secret = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 's', namespace: 'default', annotations: { 'kubernetes.io/service-account.uid': 'uid' } },
    type: 'kubernetes.io/service-account-token',
    data: { ...(token && { token: base64('t') }), ...(ca !== null && { 'ca.crt': base64(ca) }), ...(namespace && { namespace: base64('default') }) },
  }
  const found: TypedObject = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default', uid: account === 'default' ? 'uid' : 'other' } }
  if (account === null) return 'delete'
  if (!isTokenOf(secret, found)) return 'delete (uid precondition)'
  const missing = Object.keys(missingData(secret, 'current'))
  return missing.length === 0 ? 'nothing' : `set ${missing.join(', ')}`
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'default-account': createdAccounts,
  'token-secrets': tokenSecret,
  'legacy-cleaner': 'the cleaner of legacy tokens is not built',
}
