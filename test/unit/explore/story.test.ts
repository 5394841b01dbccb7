import { expect } from 'chai'
import type { Entry } from '../../../src/explore/recording.ts'
import { story } from '../../../src/explore/story.ts'

const update = {
  kind: 'request',
  at: 0,
  isController: true,
  verb: 'update',
  resource: 'pods/status',
  namespace: 'shop',
  name: 'web',
  revision: 41,
  isAnyVersion: false,
  status: 200,
  faults: [],
} as const

describe('the story of a run', () => {
  it('tells requests, events and perturbations', () => {
    const entries: Entry[] = [
      { ...update, verb: 'list', resource: 'pods', name: '', faults: [{ behindChanges: 1 }] },
      {
        kind: 'event',
        at: 0,
        type: 'MODIFIED',
        resource: 'pods',
        namespace: 'shop',
        name: 'web',
        revision: 40,
        isDeleting: true,
        isOwned: false,
        generation: 1,
      },
      { kind: 'note', at: 0, text: 'the controller is restarted' },
      { ...update, faults: [{ cut: 'AfterCommit' }], status: 0 },
      { ...update, isController: false, status: 409 },
    ]
    expect(story(entries)).to.deep.equal([
      'the controller lists pods in shop at 41: the list is 1 change behind',
      'the controller receives pods MODIFIED shop/web at 40, which is being deleted',
      'the controller is restarted',
      'the controller updates pods/status shop/web at 41: the server executes it, but the connection breaks before the response',
      'the test updates pods/status shop/web at 41, and gets 409',
    ])
  })

  it('leaves out reads far from a perturbation if it is long', () => {
    const reads: Entry[] = Array.from({ length: 100 }, () => ({ ...update, verb: 'get' }))
    const lines = story([...reads, { ...update, faults: [{ hold: 'Quiet' }] }, ...reads])
    expect(lines.length).to.be.below(30)
    expect(lines[0]).to.equal('(94 more requests and events)')
  })
})
