import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { PolicyRulesWithSubjects, Subject } from '../../../src/api/flowcontrol/v1.types.ts'
import { Classifier } from '../../../src/flow/classifier.ts'
import type { RequestInfo, User } from '../../../src/meta/context.ts'
import { EVERYTHING, infoOf } from '../../support/flow.ts'

const ALICE = { name: 'alice', groups: ['system:authenticated', 'devs'] }
const ROBOT = { name: 'system:serviceaccount:ns:robot', groups: ['system:authenticated'] }

const matchesRules = (rules: readonly PolicyRulesWithSubjects[], user: User, info: RequestInfo): boolean =>
  new Classifier([{ rules }]).find(user, info) !== undefined

describe('rules of flow schemas', () => {
  const SUBJECTS: [subject: Subject, user: { name: string; groups: string[] }, matches: boolean][] = [
    [{ kind: 'User', user: { name: 'alice' } }, ALICE, true],
    [{ kind: 'User', user: { name: 'bob' } }, ALICE, false],
    [{ kind: 'User', user: { name: '*' } }, ALICE, true],
    [{ kind: 'User' }, ALICE, false],
    [{ kind: 'Group', group: { name: 'devs' } }, ALICE, true],
    [{ kind: 'Group', group: { name: 'ops' } }, ALICE, false],
    [{ kind: 'Group', group: { name: '*' } }, ALICE, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'robot' } }, ROBOT, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: '*' } }, ROBOT, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } }, ROBOT, false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'other' } }, ROBOT, false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: '*' } }, ALICE, false],
    [{ kind: 'Other' }, ALICE, false],
  ]
  for (const [subject, user, matches] of SUBJECTS)
    it(`${JSON.stringify(subject)} ${matches ? 'is' : 'is not'} ${user.name}`, () =>
      expect(matchesRules([{ subjects: [subject], ...EVERYTHING }], user, infoOf({ resource: 'pods' }))).to.equal(matches))

  for (const [i, line] of readFileSync(join(import.meta.dirname, '../../fixtures/flow/matches-1.33.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .entries())
    it(`match like upstream's: ${i}`, () => {
      const { rules, user, asked, matches } = JSON.parse(line)
      expect(matchesRules(rules ?? [], user, asked)).to.equal(matches)
    })

  const resources = { verbs: ['get', 'list'], apiGroups: ['apps'], resources: ['deployments', 'deployments/scale'], namespaces: ['a', 'b'] }
  const info = { group: 'apps', resource: 'deployments', namespace: 'a' }
  const paths = (...nonResourceURLs: string[]): Partial<PolicyRulesWithSubjects> => ({
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs }],
  })
  const REQUESTS: [what: string, rule: Partial<PolicyRulesWithSubjects>, info: Partial<RequestInfo>, matches: boolean][] = [
    ['all of it', { resourceRules: [resources] }, info, true],
    ['another verb', { resourceRules: [resources] }, { ...info, verb: 'watch' }, false],
    ['every verb', { resourceRules: [{ ...resources, verbs: ['*'] }] }, { ...info, verb: 'watch' }, true],
    ['another group', { resourceRules: [resources] }, { ...info, group: '' }, false],
    ['every group', { resourceRules: [{ ...resources, apiGroups: ['*'] }] }, { ...info, group: '' }, true],
    ['a subresource', { resourceRules: [resources] }, { ...info, subresource: 'scale' }, true],
    ['another subresource', { resourceRules: [resources] }, { ...info, subresource: 'status' }, false],
    ['another namespace', { resourceRules: [resources] }, { ...info, namespace: 'c' }, false],
    ['no namespace', { resourceRules: [resources] }, { ...info, namespace: '' }, false],
    ['the cluster', { resourceRules: [{ ...resources, clusterScope: true }] }, { ...info, namespace: '' }, true],
    ['every namespace, and not the cluster', { resourceRules: [{ ...resources, namespaces: ['*'] }] }, { ...info, namespace: '' }, false],
    ['no rules for resources', paths('*'), info, false],
    ['a path', paths('/healthz'), { isResource: false, path: '/healthz' }, true],
    ['a path below', paths('/healthz'), { isResource: false, path: '/healthz/ping' }, true],
    ['a path that begins alike', paths('/healthz'), { isResource: false, path: '/healthzz' }, false],
    ['a prefix', paths('/healthz/*'), { isResource: false, path: '/healthz/ping' }, true],
    ['the prefix itself', paths('/healthz/*'), { isResource: false, path: '/healthz' }, false],
    ['every path', paths('*'), { isResource: false, path: '/x' }, true],
    ['another method', paths('*'), { isResource: false, path: '/x', verb: 'post' }, false],
    ['a path, of a rule for resources', { resourceRules: [resources] }, { isResource: false, path: '/x' }, false],
  ] as const
  for (const [what, rule, request, matches] of REQUESTS)
    it(`${what}: ${matches}`, () =>
      expect(matchesRules([{ subjects: [{ kind: 'User', user: { name: '*' } }], ...rule }], ALICE, infoOf(request))).to.equal(matches))

  it('require a subject and a rule of the same policy', () => {
    const rules: PolicyRulesWithSubjects[] = [
      { subjects: [{ kind: 'User', user: { name: 'bob' } }], ...EVERYTHING },
      { subjects: [{ kind: 'User', user: { name: 'alice' } }], nonResourceRules: [] },
    ]
    expect(matchesRules(rules, ALICE, infoOf({ resource: 'pods' }))).to.equal(false)
  })
})
