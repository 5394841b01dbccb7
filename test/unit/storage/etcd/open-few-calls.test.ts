import { expect } from 'chai'
import { openFewCalls } from '../../../../src/storage/etcd/open-few-calls.ts'
import { key } from '../../../../src/storage/revision.ts'
import { codeOf, never } from '../../../support/backend.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../../../support/etcd.ts'

const skip = findEtcd() === undefined
const AT = key('/few/a')

;(skip ? describe.skip : describe)(`a few calls of etcd${skip ? ' (skipped: there is no etcd here; hack/etcd installs one)' : ''}`, () => {
  let etcd: EtcdServer
  before(async () => {
    etcd = await startEtcd()
  })
  after(() => etcd?.stop())

  it('use any server that responds', async () => {
    const backend = openFewCalls({ servers: ['http://127.0.0.1:1', etcd.url] })
    expect((await backend.get(AT, never)).item).to.equal(undefined)
    const first = await backend.write({ key: AT, expected: 0, value: Buffer.from('x') }, never)
    expect(first.ok).to.equal(true)
    expect(await backend.write({ key: AT, expected: 0, value: Buffer.from('y') }, never)).to.deep.include({ ok: false })
    const { item } = await backend.get(AT, never)
    expect([item?.value.toString(), item?.modRevision]).to.deep.equal(['x', first.revision])
    await backend.close()
  })

  it('fail if no server responds', async () => {
    const backend = openFewCalls({ servers: ['http://127.0.0.1:1'] })
    expect(await codeOf(backend.get(AT, AbortSignal.timeout(100)))).to.equal('aborted')
    await backend.close()
  })
})
