import { expect } from 'chai'
import { MappedMemory } from '../../../../src/storage/embedded/mapped-memory.ts'

describe('mapped memory', () => {
  const MiB = 1 << 20

  it('is released when it has grown by 8 MiB, and measured again', async () => {
    let mapped: number | undefined = 50 * MiB
    let given = 0
    const unmap = async (): Promise<void> => {
      given++
      mapped = 55 * MiB
    }
    const memory = new MappedMemory(unmap, () => mapped)
    for (const [now, times] of [
      [57 * MiB, 0],
      [58 * MiB, 1],
      [62 * MiB, 1],
      [63 * MiB, 2],
    ] as const) {
      mapped = now
      await memory.look()
      expect(given, `at ${now}`).to.equal(times)
    }
  })

  it('is not released twice at the same time', async () => {
    let mapped = 0
    let given = 0
    let done = (): void => {}
    const memory = new MappedMemory(
      () => {
        given++
        return new Promise(resolve => {
          done = resolve
        })
      },
      () => mapped,
    )
    mapped = 100 * MiB
    const first = memory.look()
    await memory.look()
    expect(given).to.equal(1)
    done()
    await first
  })

  it('is ignored if the system does not report it', async () => {
    const memory = new MappedMemory(
      () => Promise.reject(new Error('nobody asked for it')),
      () => undefined,
    )
    await memory.look()
  })
})
