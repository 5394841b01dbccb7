import { expect } from 'chai'
import { CommitFailure } from '../../../../src/storage/embedded/commit-failure.ts'
import { FullDisk } from '../../../../src/storage/embedded/full-disk.ts'

describe('full-disk', () => {
  const opened = (free: { bytes: number | undefined }): { disk: FullDisk; clock: { ms: number } } => {
    const clock = { ms: 0 }
    return { clock, disk: new FullDisk('/nowhere', { now: () => clock.ms }, () => free.bytes) }
  }
  const refused = (disk: FullDisk, bytes: number): boolean => {
    try {
      disk.check(bytes)
      return false
    } catch (error) {
      expect(error).to.be.instanceOf(CommitFailure)
      expect(error).to.include({ message: 'no space left on device', isFull: true })
      return true
    }
  }

  it('refuses nothing before a commit has failed, however little is free', () => {
    const { disk } = opened({ bytes: 0 })
    expect([refused(disk, 1 << 20), disk.isFull]).to.deep.equal([false, false])
  })

  it('refuses commits that would fail again, and tries once in ten seconds', () => {
    const { disk, clock } = opened({ bytes: 0 })
    disk.failed()
    expect([refused(disk, 10), refused(disk, 10), disk.isFull]).to.deep.equal([true, true, true])
    clock.ms = 9_999
    expect(refused(disk, 10)).to.equal(true)
    clock.ms = 10_000
    expect([refused(disk, 10), disk.isFull]).to.deep.equal([false, false])
    disk.failed()
    expect(refused(disk, 10)).to.equal(true)
  })

  it('allows commits that fit', () => {
    const free: { bytes: number | undefined } = { bytes: 1 << 20 }
    const { disk } = opened(free)
    disk.failed()
    expect(refused(disk, 1 << 20)).to.equal(true)
    expect([refused(disk, 1 << 10), disk.isFull]).to.deep.equal([false, false])
    disk.failed()
    free.bytes = undefined
    expect(refused(disk, 1)).to.equal(true)
  })
})
