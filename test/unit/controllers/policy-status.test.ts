import { expect } from 'chai'
import { policyStatusController } from '../../../src/controllers/policy-status.ts'
import { controllerEnvironment } from '../../support/builtin-registry.ts'
import { POLICIES, PolicyWorld } from '../../support/policy-world.ts'
import { eventually } from '../../support/waiting.ts'

describe('policyStatusController', () => {
  it('reports the type errors of each generation', async () => {
    const world = new PolicyWorld()
    const stop = new AbortController()
    const running = policyStatusController(world.t.catalog)(controllerEnvironment(world.t), stop.signal)
    const api = world.t.access()
    const statusOf = async () => (await api.get(POLICIES, '', 'p')).status
    await world.policy('p', { validations: [{ expression: 'object.spec.x == 1' }] })
    await eventually('a status', async () => (await statusOf())?.observedGeneration === 1)
    const warning = "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'spec'\n | object.spec.x == 1\n | ......^\n"
    expect((await statusOf()).typeChecking).to.deep.equal({ expressionWarnings: [{ fieldRef: 'spec.validations[0].expression', warning }] })
    await api.update(POLICIES, '', 'p', policy => {
      policy.spec.validations = [{ expression: 'object.data.x == "1"' }]
      return policy
    })
    await eventually('a new status', async () => (await statusOf()).observedGeneration === 2)
    expect((await statusOf()).typeChecking).to.deep.equal({})
    stop.abort()
    await running
  })
})
