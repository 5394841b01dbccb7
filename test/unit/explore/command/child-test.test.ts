import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ChildTest, USER } from '../../../../src/explore/command/child-test.ts'
import type { FaultableRequest } from '../../../../src/faults/faultable-request.ts'
import type { RequestAttributes } from '../../../../src/meta/context.ts'

const request = (verb: string, userAgent = 'manager/v1'): FaultableRequest => {
  const info: RequestAttributes = {
    verb,
    group: '',
    version: 'v1',
    resource: 'configmaps',
    subresource: '',
    namespace: 'shop',
    name: '',
    isResource: true,
    path: '/api/v1/namespaces/shop/configmaps',
  }
  return { user: { name: USER, groups: [] }, userAgent, info, query: new URLSearchParams() }
}

describe('a restart of the controller at a signal', () => {
  const restarted = (): ChildTest => {
    const program = { command: 'true', args: [], cwd: '.', name: 'true' }
    const options = { program, directory: '.', agents: ['manager/*'], controller: undefined, timeoutMs: 1000 }
    const test = new ChildTest({ ...options, restartSignal: 'SIGUSR1' })
    test.restart()
    return test
  }

  it('severs writes of the old controller until the new one watches', () => {
    const test = restarted()
    expect(['get', 'update'].map(verb => test.isSevered(request(verb)))).to.deep.equal([false, true])
    expect(test.isSevered(request('update', 'test/v1'))).to.equal(false)
    test.isController(request('watch', 'test/v1'))
    expect(test.isSevered(request('update'))).to.equal(true)
    test.isController(request('watch'))
    expect(test.isSevered(request('update'))).to.equal(false)
  })

  it('ends a while after its watches, whatever it reads', async () => {
    const test = restarted()
    test.isController(request('get'))
    await sleep(300)
    expect(test.isRestarting).to.equal(true)
    test.isController(request('watch'))
    expect(test.isRestarting).to.equal(true)
    for (let i = 0; i < 30 && test.isRestarting; i++) {
      test.isController(request('get'))
      await sleep(20)
    }
    expect(test.isRestarting).to.equal(false)
  })
})
