import { expect } from 'chai'
import { followFlowControl } from '../../../src/controllers/follow-flow-control.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { builtinRegistry, controllerEnvironment } from '../../support/builtin-registry.ts'
import { MANDATORY, queued, requestOf, schemaOf, testFlows } from '../../support/flow.ts'
import { eventually } from '../../support/waiting.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'
const SCHEMAS = { group: GROUP, resource: 'flowschemas' }
const LEVELS = { group: GROUP, resource: 'prioritylevelconfigurations' }
const QUEUING = { queues: 8, handSize: 2, queueLengthLimit: 5 }

describe('followFlowControl', () => {
  it('configures API Priority and Fairness from the stored objects', async () => {
    const t = builtinRegistry()
    const env = controllerEnvironment(t)
    const { flows } = testFlows(100)
    const ended = new AbortController()
    const following = followFlowControl(env, flows, ended.signal)
    const access = t.access()
    const apiVersion = `${GROUP}/v1`
    const level: AnyObject = {
      ...queued('level', 95, QUEUING),
      kind: 'PriorityLevelConfiguration',
      apiVersion,
      metadata: { name: 'level' },
    }
    const schema: AnyObject = { ...schemaOf('alice', 'level'), kind: 'FlowSchema', apiVersion, metadata: { name: 'alice' } }
    const levelOfAlice = (): string => flows.classify(requestOf('alice').user, requestOf('alice').info).level
    try {
      expect(levelOfAlice()).to.equal('catch-all')
      await access.create(SCHEMAS, '', schema)
      await access.create(LEVELS, '', level)
      await eventually('the level is used', () => levelOfAlice() === 'level')
      expect(flows.levels.get('level')?.limits.nominal).to.equal(95)
      expect(flows.start(requestOf('alice')).arrival.flow.levelUid).to.match(/^u\d+$/)

      await access.update(LEVELS, '', 'level', now => ({
        ...now,
        spec: { ...now.spec, limited: { ...now.spec.limited, nominalConcurrencyShares: 5 } },
      }))
      await eventually('the limit follows', () => flows.levels.get('level')?.limits.nominal === 50)
      await access.delete(SCHEMAS, '', 'alice')
      await eventually('the schema is gone', () => levelOfAlice() === 'catch-all')
      expect(MANDATORY.levels.every(({ metadata: { name = '' } }) => flows.levels.has(name))).to.equal(true)
    } finally {
      ended.abort()
      await following
    }
  })
})
