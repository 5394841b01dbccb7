import { expect } from 'chai'
import { groupVersion, type Kind, kindGroups, rank, resourcePath } from '../../../src/console/kinds.ts'
import { namedIn, objectHash, parseRoute, tableHash } from '../../../src/console/route.ts'

const kind = (group: string, resource: string, name: string, shortNames: readonly string[] = []): Kind => ({
  group,
  version: 'v1',
  resource,
  kind: name,
  namespaced: true,
  verbs: ['list'],
  shortNames,
  preferred: true,
})
const deployments = kind('apps', 'deployments', 'Deployment', ['deploy'])
const pods = kind('', 'pods', 'Pod', ['po'])

describe('kinds of the console', () => {
  it('have paths', () => {
    expect(resourcePath(pods, 'default', 'a')).to.equal('/api/v1/namespaces/default/pods/a')
    expect(resourcePath(deployments)).to.equal('/apis/apps/v1/deployments')
    expect(resourcePath(deployments, '../x', 'a/b?c#d')).to.equal('/apis/apps/v1/namespaces/..%2Fx/deployments/a%2Fb%3Fc%23d')
    expect([pods, deployments].map(groupVersion)).to.deep.equal(['v1', 'apps/v1'])
  })

  it('are ranked by a search text', () => {
    expect(['deploy', 'Deployment', 'depl', 'apps', 'x', ''].map(text => rank(deployments, text))).to.deep.equal([4, 4, 3, 2, 0, 1])
  })

  it('are grouped: core, those of Kubernetes, custom ones, and deprecated ones', () => {
    const all = [
      kind('example.dev', 'loans', 'Loan'),
      kind('', 'endpoints', 'Endpoints'),
      deployments,
      pods,
      kind('batch', 'jobs', 'Job'),
      kind('', 'secrets', 'Secret'),
    ]
    expect(kindGroups(all).map(({ title, kinds }) => [title, kinds.map(each => each.kind)])).to.deep.equal([
      ['core', ['Pod', 'Secret']],
      ['apps', ['Deployment']],
      ['batch', ['Job']],
      ['example.dev', ['Loan']],
      ['deprecated', ['Endpoints']],
    ])
  })

  it('have addresses that parse to the same kind', () => {
    for (const name of ['a', 'a/b', '%41', 'ü?x=1#y', '-']) {
      const named = namedIn(parseRoute(objectHash(deployments, 'default', name)))
      expect(named).to.deep.equal({ group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default', name })
    }
    expect(namedIn(parseRoute(objectHash(pods, '', 'a')))).to.deep.include({ group: '', namespace: '' })
    expect(parseRoute(tableHash(pods, { labels: 'a=b&c', text: '' }))).to.deep.equal({
      parts: ['objects', 'core', 'v1', 'pods'],
      query: { labels: 'a=b&c' },
    })
    expect(parseRoute('#/%E0%A4%A')).to.deep.equal({ parts: ['%E0%A4%A'], query: {} })
  })
})
