import { expect } from 'chai'
import type { APIService } from '../../../../src/api/apiregistration/v1.types.ts'
import { Registrations } from '../../../../src/extensions/aggregation/registrations.ts'
import { Via } from '../../../../src/extensions/aggregation/via.ts'

const service = (group: string, version: string, isRemote: boolean): APIService => ({
  kind: 'APIService',
  apiVersion: 'apiregistration.k8s.io/v1',
  metadata: { name: `${version}.${group}` },
  spec: { group, version, groupPriorityMinimum: 1, versionPriority: 1, ...(isRemote && { service: { namespace: 'ns', name: 'api' } }) },
  status: {},
})

describe('Registrations', () => {
  const known = new Registrations()
  known.put(service('example.com', 'v1', true))
  known.put(service('apps', 'v1', false))
  const cases: Readonly<Record<string, string | undefined>> = {
    '/apis/example.com/v1': 'v1.example.com',
    '/apis/example.com/v1/': 'v1.example.com',
    '/apis/example.com/v1/things/a/exec': 'v1.example.com',
    '/apis/example.com/v1beta1/things': undefined,
    '/apis/example.com/v': undefined,
    '/apis/example.com': undefined,
    '/apis/apps/v1/deployments': undefined,
    '/apis//example.com/v1': undefined,
    '//apis/example.com/v1': undefined,
    '/api/v1/pods': undefined,
    '/apis/constructor/prototype': undefined,
    '/': undefined,
  }
  for (const [path, name] of Object.entries(cases))
    it(`routes ${path} to ${name ?? 'this server'}`, () => expect(known.remoteOf(path)?.name).to.equal(name))

  it('routes everything below /api to a server of the core group', () => {
    const core = new Registrations()
    core.put(service('', 'v1', true))
    for (const path of ['/api', '/api/', '/api/v1', '/api/v1/pods', '/api/v2']) expect(core.remoteOf(path)?.name, path).to.equal('v1.')
    expect(core.remoteOf('/apis/apps/v1')).to.equal(undefined)
  })

  it('removes deleted registrations, and those that became local', () => {
    const changing = new Registrations()
    const told: string[] = []
    changing.subscribe(({ name, registration }) =>
      told.push(`${name} ${registration ? (registration.backend ? 'remote' : 'local') : 'gone'}`),
    )
    changing.put(service('example.com', 'v1', true))
    changing.put(service('example.com', 'v1', false))
    expect(changing.areLocal).to.equal(true)
    changing.put(service('example.com', 'v1', true))
    changing.remove('', 'v1.example.com')
    expect(changing.areLocal).to.equal(true)
    expect([...changing.keys()]).to.deep.equal([])
    expect(told).to.deep.equal(['v1.example.com remote', 'v1.example.com local', 'v1.example.com remote', 'v1.example.com gone'])
  })

  it('tracks deleted built-in APIServices', () => {
    const changing = new Registrations()
    changing.remove('', 'v1.apps')
    expect([changing.areAsCatalog, changing.generation]).to.deep.equal([true, 0])
    for (const group of ['apps', 'example.com']) {
      changing.put(service(group, 'v1', false))
      changing.remove('', `v1.${group}`)
    }
    expect(['v1.apps', 'v1.example.com'].map(name => changing.isRemoved(name))).to.deep.equal([true, false])
    expect([changing.areAsCatalog, changing.areLocal]).to.deep.equal([false, true])
    const before = changing.generation
    changing.put(service('apps', 'v1', false))
    expect([changing.isRemoved('v1.apps'), changing.areAsCatalog, changing.generation > before]).to.deep.equal([false, true, true])
  })
})

describe('Via', () => {
  it('detects requests that this server has proxied, through any other proxies', () => {
    const own = new Via('a')
    expect(own.hasPassed(undefined)).to.equal(false)
    expect(own.hasPassed(new Via('b').after(undefined))).to.equal(false)
    expect(own.hasPassed(new Via('b').after(own.after('1.1 proxy')))).to.equal(true)
  })
})
