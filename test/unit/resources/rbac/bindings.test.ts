import { expect } from 'chai'
import { createClusterRoleBindingResource } from '../../../../src/resources/rbac/cluster-role-binding/definition.ts'
import { createRoleBindingResource } from '../../../../src/resources/rbac/role-binding/definition.ts'
import { KindCases, validates } from '../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../support/workloads.ts'

const group = 'rbac.authorization.k8s.io'
const view = { apiGroup: group, kind: 'ClusterRole', name: 'view' }
const to = (...subjects: object[]): object => ({ roleRef: view, subjects })
const account = { kind: 'ServiceAccount', name: 'robot', namespace: 'ns' }

describe('RoleBinding', () => {
  validates(
    createRoleBindingResource(),
    {
      'no subjects': [{ roleRef: view }, []],
      'a role of the namespace': [{ roleRef: { ...view, kind: 'Role' } }, []],
      'no reference': [{}, ['NotSupported roleRef.kind', 'Required roleRef.name']],
      'a role of another group': [{ roleRef: { ...view, apiGroup: 'x' } }, ['NotSupported roleRef.apiGroup']],
      'a role whose name is a path': [{ roleRef: { ...view, name: 'a/b' } }, ['Invalid roleRef.name']],
      'a service account without namespace': [to({ kind: 'ServiceAccount', name: 'robot' }), []],
      'a service account of a group': [to({ ...account, apiGroup: group }), ['NotSupported subjects[0].apiGroup']],
      'a service account of a bad name': [to({ ...account, name: 'A_b' }), ['Invalid subjects[0].name']],
      nobody: [to({ kind: 'User' }), ['Required subjects[0].name']],
      'a user of another group': [to({ kind: 'User', name: 'jane', apiGroup: 'x' }), ['NotSupported subjects[0].apiGroup']],
      'a subject of another kind': [to({ kind: 'Robot', name: 'x' }), ['NotSupported subjects[0].kind']],
    },
    {
      subjects: [{ roleRef: view }, to(account), []],
      'the role': [{ roleRef: view }, { roleRef: { ...view, name: 'edit' } }, ['Invalid roleRef']],
      'to an invalid subject, reported twice': [{ roleRef: view }, to({ kind: 'User' }), Array(2).fill('Required subjects[0].name')],
    },
  )

  it('defaults the API group of roles, users and groups', async () => {
    const made = await new KindCases(createRoleBindingResource()).create({
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'jane' }, { kind: 'Group', name: 'dev' }, account],
    })
    expect(made.roleRef).to.deep.equal({ apiGroup: group, kind: 'Role', name: 'r' })
    expect(made.subjects).to.deep.equal([
      { kind: 'User', apiGroup: group, name: 'jane' },
      { kind: 'Group', apiGroup: group, name: 'dev' },
      account,
    ])
  })

  it('does not allow changing the role', async () => {
    const cases = new KindCases(createRoleBindingResource())
    await cases.create({ roleRef: view })
    expect(await messagesOf(cases.update({ roleRef: { ...view, name: 'edit' } }))).to.deep.equal([
      'roleRef: Invalid value: rbac.RoleRef{APIGroup:"rbac.authorization.k8s.io", Kind:"ClusterRole", Name:"edit"}: cannot change roleRef',
    ])
  })

  it('prints subjects by kind', async () => {
    const cases = new KindCases(createRoleBindingResource())
    await cases.create(to({ kind: 'User', name: 'zoe' }, account, { kind: 'Group', name: 'dev' }, { kind: 'User', name: 'adam' }))
    expect(cases.cells()).to.deep.equal(['x', 'ClusterRole/view', '0s', 'zoe, adam', 'dev', 'ns/robot'])
  })
})

describe('ClusterRoleBinding', () => {
  validates(createClusterRoleBindingResource(), {
    'a role of some namespace': [{ roleRef: { ...view, kind: 'Role' } }, ['NotSupported roleRef.kind']],
    'a service account': [to(account), []],
    'a service account without namespace': [to({ kind: 'ServiceAccount', name: 'robot' }), ['Required subjects[0].namespace']],
  })
})
