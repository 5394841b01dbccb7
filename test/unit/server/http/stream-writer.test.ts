import { mock } from 'node:test'
import { expect } from 'chai'
import { BufferPool } from '../../../../src/lib/buffer-pool.ts'
import { SharedBytes } from '../../../../src/lib/shared-bytes.ts'
import { WireStream } from '../../../../src/server/http/stream-writer.ts'
import type { Wire } from '../../../../src/server/http/wire.ts'

/** A wire whose client takes no bytes. */
class StalledWire {
  unwritten = 0
  closed = false
  destroyedAt: number | undefined

  frame({ length }: SharedBytes): number {
    this.unwritten += length
    return length
  }

  destroy(): void {
    this.destroyedAt ??= Date.now()
  }

  onClose(): void {}
  end(): void {}
}

describe('the end of a stream', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }))
  afterEach(() => mock.timers.reset())

  for (const [bytes, milliseconds] of [
    [300, 30_000],
    [64 * 1024, 30_000],
    [64 * 1024 + 1, 5_000],
  ] as const)
    it(`waits ${milliseconds} ms for a client that does not take the last ${bytes} bytes`, () => {
      const wire = new StalledWire()
      const stream = new WireStream(wire as unknown as Wire, new BufferPool(1024, 1))
      stream.write(new SharedBytes([Buffer.alloc(bytes)]))
      stream.end()
      mock.timers.tick(milliseconds - 1)
      expect(wire.destroyedAt).to.equal(undefined)
      mock.timers.tick(1)
      expect(wire.destroyedAt).to.equal(milliseconds)
    })
})
