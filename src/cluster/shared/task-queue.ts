import { type QueueEnvironment, queueOf } from './environment.ts'
import type { KeyQueue } from './work-queue.ts'

/** A piece of work in the background. It handles its own errors. */
type Task = () => Promise<void>

/**
 * Runs tasks in the background: those of one key one after the other, a bounded number of keys at a time. A simulation
 * runs them key by key, in order, as it does all work.
 */
export class TaskQueue {
  readonly #tasks = new Map<string, Task[]>()
  readonly #running = new Set<Promise<void>>()
  readonly #queue: KeyQueue
  #unfinished = 0

  /** @param name name of the queue in metrics. @param workers number of keys whose tasks run at the same time */
  constructor(env: QueueEnvironment, name: string, signal: AbortSignal, workers: number) {
    this.#queue = queueOf(env, name, signal, { workers, work: key => this.#work(key) })
  }

  /** Number of tasks that are not finished. */
  get size(): number {
    return this.#unfinished
  }

  /** Runs a task after those of its key. */
  run(key: string, task: Task): void {
    this.#unfinished++
    const tasks = this.#tasks.get(key)
    if (tasks) tasks.push(task)
    else this.#tasks.set(key, [task])
    this.#queue.add(key)
  }

  /** Resolves when the tasks that have begun are finished. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running)
  }

  async #work(key: string): Promise<void> {
    const tasks = this.#tasks.get(key) ?? []
    this.#tasks.delete(key)
    for (const task of tasks) {
      const running = task().finally(() => {
        this.#running.delete(running)
        this.#unfinished--
      })
      this.#running.add(running)
      await running
    }
  }
}
