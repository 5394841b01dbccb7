import { expect } from 'chai'
import type { TokenIssuer } from '../../../src/auth/authn/service-account/issuer.ts'
import { serviceAccountTokenController } from '../../../src/controllers/service-account-token.ts'
import { loose } from '../../support/any-object.ts'
import { testAuth } from '../../support/auth.ts'
import { builtinRegistry, controllerEnvironment, NAMESPACES } from '../../support/builtin-registry.ts'
import { refusalText } from '../../support/test-registry.ts'
import { eventually } from '../../support/waiting.ts'

const SECRETS = { group: '', resource: 'secrets' }
const ACCOUNTS = { group: '', resource: 'serviceaccounts' }
const text = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString()

async function running() {
  const t = builtinRegistry()
  const env = controllerEnvironment(t)
  const { access } = env
  await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns' } })
  const makeAccount = () =>
    access.create(ACCOUNTS, 'ns', { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'bot', namespace: 'ns' } })
  const makeSecret = (name: string, annotations: Record<string, string> = {}) =>
    access.create(SECRETS, 'ns', {
      kind: 'Secret',
      apiVersion: 'v1',
      type: 'kubernetes.io/service-account-token',
      metadata: { name, namespace: 'ns', annotations: { 'kubernetes.io/service-account.name': 'bot', ...annotations } },
    })
  const stop = new AbortController()
  const ended = serviceAccountTokenController(testAuth.issuer as TokenIssuer, 'PEM')(env, stop.signal)
  const isGone = async (name: string) => (await refusalText(access.get(SECRETS, 'ns', name))).includes('not found')
  return {
    access,
    makeAccount,
    makeSecret,
    isGone,
    stop: () => {
      stop.abort()
      return ended
    },
  }
}

describe('serviceAccountTokenController', () => {
  it('fills a Secret that names an account, and restores its data', async () => {
    const { access, makeAccount, makeSecret, stop } = await running()
    const { metadata } = await makeAccount()
    await makeSecret('s')
    const filled = async () => loose(await access.get(SECRETS, 'ns', 's')).data?.token !== undefined
    await eventually('it has a token', filled)
    const secret = loose(await access.get(SECRETS, 'ns', 's'))
    expect(Object.fromEntries(Object.entries(secret.data).map(([name, data]) => [name, text(data as string)]))).to.deep.equal({
      'ca.crt': 'PEM',
      namespace: 'ns',
      token: 'signed for system:serviceaccount:ns:bot',
    })
    expect(secret.metadata.annotations).to.deep.equal({
      'kubernetes.io/service-account.name': 'bot',
      'kubernetes.io/service-account.uid': metadata.uid,
    })
    await access.update(SECRETS, 'ns', 's', now => ({ ...now, data: {} }))
    await eventually('it has one again', filled)
    await stop()
  })

  it('deletes the Secret with its account', async () => {
    const { access, makeAccount, makeSecret, isGone, stop } = await running()
    await makeAccount()
    await makeSecret('s')
    await eventually('it has a token', async () => loose(await access.get(SECRETS, 'ns', 's')).data?.token !== undefined)
    await access.delete(ACCOUNTS, 'ns', 'bot')
    await eventually('it is gone', () => isGone('s'))
    await stop()
  })

  it('deletes a Secret whose account is missing or has another UID', async () => {
    const { makeAccount, makeSecret, isGone, stop } = await running()
    await makeSecret('early')
    await eventually('it is gone', () => isGone('early'))
    await makeAccount()
    await makeSecret('old', { 'kubernetes.io/service-account.uid': 'x' })
    await eventually('it is gone', () => isGone('old'))
    await stop()
  })

  it('removes a Secret that is gone from the list of its account', async () => {
    const { access, makeAccount, makeSecret, stop } = await running()
    await makeAccount()
    await access.update(ACCOUNTS, 'ns', 'bot', now => ({ ...now, secrets: [{ name: 's' }, { name: 'other' }] }))
    await makeSecret('s')
    await eventually('it has a token', async () => loose(await access.get(SECRETS, 'ns', 's')).data?.token !== undefined)
    await access.delete(SECRETS, 'ns', 's')
    const listed = async (): Promise<unknown> => loose(await access.get(ACCOUNTS, 'ns', 'bot')).secrets
    await eventually('it is not listed', async () => JSON.stringify(await listed()) === '[{"name":"other"}]')
    await stop()
  })
})
