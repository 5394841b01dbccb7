import { expect } from 'chai'
import { type AdmissionPlugin, admissionChain } from '../../../src/admission/chain.ts'
import { reinvocationOf } from '../../../src/admission/reinvocation.ts'
import type { AdmissionRequest, Operation } from '../../../src/registry/types.ts'
import { type AnyObject, loose } from '../../support/any-object.ts'
import { TestRegistry } from '../../support/test-registry.ts'

const t = new TestRegistry()
const request = (operation: Operation, object?: AnyObject): AdmissionRequest => ({ ...t.target('a'), operation, ...(object && { object }) })

function recorder() {
  const log: string[] = []
  const plugin = (name: string, parts: { mutate?: AdmissionPlugin['mutate']; validates?: boolean; only?: Operation }): AdmissionPlugin => ({
    name,
    handles: ({ operation }) => parts.only === undefined || parts.only === operation,
    ...(parts.mutate && {
      mutate: async of => {
        log.push(`${name} mutates ${of.object ? loose(of.object).spec.color : 'nothing'}`)
        return parts.mutate?.(of)
      },
    }),
    ...(parts.validates && {
      validate: async of => void log.push(`${name} validates ${of.object ? loose(of.object).spec.color : 'nothing'}`),
    }),
  })
  return { log, plugin }
}

describe('the admission chain', () => {
  it('passes each plugin the object that the previous one replaced or changed in place', async () => {
    const { log, plugin } = recorder()
    const object = t.widget({ name: 'a' }, { spec: { color: 'red' } })
    const chain = admissionChain([
      plugin('replaces', { mutate: async of => ({ ...of.object!, spec: { color: 'blue' } }) }),
      plugin('validates only', { validates: true }),
      plugin('changes', {
        mutate: async of => {
          loose(of.object).spec.color = 'green'
          return undefined
        },
      }),
      plugin('looks', { mutate: async of => of.object, validates: true }),
    ])
    const admitted = await chain.mutate(request('CREATE', object))
    expect(log).to.deep.equal(['replaces mutates red', 'changes mutates blue', 'looks mutates green'])
    expect(loose(admitted).spec.color).to.equal('green')
    expect(object.spec.color).to.equal('red')
    log.length = 0
    await chain.validate(request('CREATE', admitted!))
    expect(log).to.deep.equal(['validates only validates green', 'looks validates green'])
  })

  it('runs only plugins that handle the request', async () => {
    const { log, plugin } = recorder()
    const chain = admissionChain([
      plugin('creations', { mutate: async of => of.object, validates: true, only: 'CREATE' }),
      plugin('all', { validates: true }),
    ])
    expect(await chain.mutate(request('DELETE'))).to.equal(undefined)
    await chain.validate(request('DELETE'))
    expect(log).to.deep.equal(['all validates nothing'])
  })

  it('stops at the first rejection', async () => {
    const { log, plugin } = recorder()
    const refuse = async () => Promise.reject(new Error('no'))
    const refusing: AdmissionPlugin = { name: 'refuses', handles: () => true, mutate: refuse, validate: refuse }
    const chain = admissionChain([refusing, plugin('later', { mutate: async of => of.object, validates: true })])
    for (const run of [chain.mutate, chain.validate]) {
      const failed = await run(request('CREATE', t.widget({ name: 'a' }))).then(
        () => 'admitted',
        (error: Error) => error.message,
      )
      expect(failed).to.equal('no')
    }
    expect(log).to.deep.equal([])
  })
})

describe('the reinvocation pass', () => {
  const widget = (size: number) => ({ kind: 'Widget', apiVersion: 'v1', metadata: {}, size })

  it('runs all mutating plugins once more if one requests it', async () => {
    const order: string[] = []
    const plugin = (name: string, wants: boolean): AdmissionPlugin => ({
      name,
      handles: () => true,
      mutate: async ({ object }, round) => {
        order.push(`${name}${round?.again ? ' again' : ''} ${object?.size} ${[...(round?.memory?.keys() ?? [])]}`.trim())
        if (round && wants) round.wanted = true
        if (round) reinvocationOf(round, 'kept')
        return widget(loose(object).size + 1)
      },
    })
    const chain = admissionChain([plugin('a', false), plugin('b', true)])
    const object = await chain.mutate({ ctx: {}, operation: 'CREATE', object: widget(0) } as unknown as AdmissionRequest)
    expect(order).to.deep.equal(['a 0', 'b 1 kept', 'a again 2 kept', 'b again 3 kept'])
    expect(object?.size).to.equal(4)
  })
})
