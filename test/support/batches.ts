import type { StorageEvent, Watcher } from '../../src/storage/storage.ts'

type Batch = readonly StorageEvent[]

interface Asking {
  resolve(step: IteratorResult<Batch>): void
  reject(error: unknown): void
}

const readers = new WeakMap<Watcher, AsyncIterableIterator<Batch>>()

/**
 * Iterates over the batches of a watcher on demand. Batches that are not requested stay in the watcher's queue. A
 * watcher has one reader.
 */
export function batchesOf(watcher: Watcher): AsyncIterableIterator<Batch> {
  let reader = readers.get(watcher)
  if (reader === undefined) {
    reader = read(watcher)
    readers.set(watcher, reader)
  }
  return reader
}

function read(watcher: Watcher): AsyncIterableIterator<Batch> {
  const asking: Asking[] = []
  /** Asks the watcher for the next batch, once it delivers. */
  let goOn: (() => void) | undefined
  let delivery: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined
  let ended = false

  const end = (): void => {
    ended = true
    for (const { resolve, reject } of asking.splice(0)) {
      const failed = failure
      failure = undefined
      if (failed) reject(failed.error)
      else resolve({ done: true, value: undefined })
    }
  }
  const take = (batch: Batch): boolean | Promise<boolean> => {
    asking.shift()?.resolve({ done: false, value: batch })
    if (asking.length > 0) return true
    return new Promise(resolve => {
      goOn = () => resolve(true)
    })
  }
  return {
    next() {
      return new Promise((resolve, reject) => {
        asking.push({ resolve, reject })
        if (ended) end()
        else if (delivery !== undefined) goOn?.()
        else
          delivery = watcher.deliver(take).then(end, error => {
            failure = { error }
            end()
          })
      })
    },
    async return() {
      watcher.close()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
