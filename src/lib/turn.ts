import { TurnScheduler } from './turn-scheduler.ts'

/**
 * The scheduler of this process's event loop. All servers of the process share it: two schedulers that each allowed 2
 * ms of a turn would hold the loop for four. Its only state is the queues of waiting callbacks.
 */
const turns = new TurnScheduler()

/** Whether the budget of this turn is spent. Check it before a piece of work, and await `nextTurn` first if so. */
export const turnIsSpent = (): boolean => turns.isSpent()

/** Whether work in this turn took long. Check it between the stages of one piece of work. */
export const turnIsLong = (): boolean => turns.isLong()

/**
 * Ends this turn. Call it before a piece of work that takes milliseconds and cannot be divided: work in steps continues
 * in another turn.
 */
export const endTurn = (): void => turns.end()

/** Calls back in the next turn, or a later one if the queue is long. Keeps the order of calls. */
export const inNextTurn = (callback: () => void): void => turns.inNext(callback)

/** Calls back to continue long work, after all short work. Keeps the order of calls; each turn serves at least one. */
export const inLongTurn = (callback: () => void): void => turns.inLong(callback)

/** Resolves in the next turn, or a later one if the queue is long. */
export const nextTurn = (): Promise<void> => new Promise(inNextTurn)

/** Resolves when long work may continue. */
export const nextLongTurn = (): Promise<void> => new Promise(inLongTurn)

/** Resolves when work that no client waits for may continue: requests and handlers of controllers in this process. */
export const nextBackgroundTurn = (): Promise<void> => new Promise(resolve => turns.inBackground(resolve))

/** Resolves when work may begin that background work delays, and that each few turns have time for. */
export const nextSpareTurn = (): Promise<void> => new Promise(resolve => turns.inSpare(resolve))

/** Like `nextBackgroundTurn`, for work that begins in the order of calls. Undefined if it may begin at once. */
export const backgroundTurn = (): Promise<void> | undefined => (turns.hasBackground || turns.isSpent() ? nextBackgroundTurn() : undefined)

/** Turns of the process, for code that takes its scheduler as an argument. */
export const SHARED_TURNS = { spent: turnIsSpent, next: nextTurn }
