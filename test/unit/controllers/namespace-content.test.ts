import { expect } from 'chai'
import { type NamespaceContent, namespaceContentController } from '../../../src/controllers/namespace-content.ts'
import { builtinRegistry, CONFIG_MAPS, controllerEnvironment, NAMESPACES } from '../../support/builtin-registry.ts'
import { eventually } from '../../support/waiting.ts'

const SERVICE_ACCOUNTS = { group: '', resource: 'serviceaccounts' }
const PEM = '-----BEGIN CERTIFICATE-----\n'

describe('namespaceContentController', () => {
  function open(content: NamespaceContent = { serviceAccount: true, certificateAuthority: PEM }) {
    const t = builtinRegistry()
    const access = t.access()
    const end = new AbortController()
    let done: Promise<void> = Promise.resolve()
    return {
      access,
      async start() {
        done = namespaceContentController(content)(controllerEnvironment(t), end.signal)
      },
      namespace: (name: string) => access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }),
      names: async (id: typeof CONFIG_MAPS) => (await access.list(id, 'ns')).items.map(item => item.metadata.name),
      rootCa: async () => (await access.get(CONFIG_MAPS, 'ns', 'kube-root-ca.crt')).data,
      async stop() {
        end.abort()
        await done
      },
    }
  }

  for (const when of ['before', 'after'] as const)
    it(`creates the default objects of a namespace that was created ${when} the controller`, async () => {
      const s = open()
      if (when === 'before') await s.namespace('ns')
      await s.start()
      if (when === 'after') await s.namespace('ns')
      await eventually('both are there', async () => (await s.names(SERVICE_ACCOUNTS)).length + (await s.names(CONFIG_MAPS)).length === 2)
      expect(await s.names(SERVICE_ACCOUNTS)).to.deep.equal(['default'])
      const { metadata, data } = await s.access.get(CONFIG_MAPS, 'ns', 'kube-root-ca.crt')
      expect(data).to.deep.equal({ 'ca.crt': PEM })
      expect(metadata.annotations?.['kubernetes.io/description']).to.match(/^Contains a CA bundle/)
      await s.stop()
    })

  it('recreates deleted objects, and restores changed ones', async () => {
    const s = open()
    await s.namespace('ns')
    await s.start()
    await eventually('both are there', async () => (await s.names(SERVICE_ACCOUNTS)).length + (await s.names(CONFIG_MAPS)).length === 2)
    const { uid } = (await s.access.get(SERVICE_ACCOUNTS, 'ns', 'default')).metadata
    await s.access.delete(SERVICE_ACCOUNTS, 'ns', 'default')
    await eventually('another account', async () => (await s.access.get(SERVICE_ACCOUNTS, 'ns', 'default')).metadata.uid !== uid)
    for (const data of [{ 'ca.crt': 'other' }, { 'ca.crt': PEM, more: 'x' }, undefined]) {
      await s.access.update(CONFIG_MAPS, 'ns', 'kube-root-ca.crt', now => ({ ...now, ...(data ? { data } : { data: {} }) }))
      await eventually('the certificate', async () => JSON.stringify(await s.rootCa()) === JSON.stringify({ 'ca.crt': PEM }))
    }
    await s.access.update(CONFIG_MAPS, 'ns', 'kube-root-ca.crt', now => ({
      ...now,
      metadata: { ...now.metadata, annotations: { mine: 'x' } },
    }))
    await eventually('the description', async () => {
      const { annotations = {} } = (await s.access.get(CONFIG_MAPS, 'ns', 'kube-root-ca.crt')).metadata
      return Object.keys(annotations).toSorted().join() === 'kubernetes.io/description,mine'
    })
    await s.access.delete(CONFIG_MAPS, 'ns', 'kube-root-ca.crt')
    await eventually('the certificate', async () => (await s.rootCa())?.['ca.crt'] === PEM)
    await s.stop()
  })

  const parts: [string, NamespaceContent, accounts: number, configMaps: number][] = [
    ['the ServiceAccount', { serviceAccount: true }, 1, 0],
    ['the ConfigMap', { serviceAccount: false, certificateAuthority: PEM }, 0, 1],
  ]
  for (const [what, content, accounts, configMaps] of parts)
    it(`creates only ${what}`, async () => {
      const s = open(content)
      await s.namespace('ns')
      await s.start()
      await eventually(what, async () => (await s.names(SERVICE_ACCOUNTS)).length + (await s.names(CONFIG_MAPS)).length === 1)
      expect([(await s.names(SERVICE_ACCOUNTS)).length, (await s.names(CONFIG_MAPS)).length]).to.deep.equal([accounts, configMaps])
      await s.stop()
    })

  it('creates nothing in a terminating namespace', async () => {
    const s = open()
    await s.namespace('ns')
    await s.namespace('sign')
    await s.access.delete(NAMESPACES, '', 'ns')
    await s.start()
    await eventually('the other one is filled', async () => (await s.access.list(SERVICE_ACCOUNTS, 'sign')).items.length === 1)
    expect(await s.names(SERVICE_ACCOUNTS)).to.deep.equal([])
    expect(await s.names(CONFIG_MAPS)).to.deep.equal([])
    await s.stop()
  })
})
