import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { RunningThreads, SEES_THREADS } from '../../../../src/explore/command/running-threads.ts'

describe('the running threads of a program', () => {
  const children: ChildProcess[] = []
  const threadsOf = (script: string): RunningThreads => {
    const child = spawn('sh', ['-c', script], { stdio: 'ignore', detached: true })
    children.push(child)
    return new RunningThreads(child.pid ?? -1)
  }
  afterEach(() => {
    for (const { pid } of children.splice(0)) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  })
  const becomes = async (threads: RunningThreads, isAny: boolean): Promise<void> => {
    while (threads.isAny !== isAny) await sleep(10)
  }

  const itWithStates = SEES_THREADS ? it : it.skip
  itWithStates('exist while it or a child computes', async () => {
    await becomes(threadsOf('while :; do :; done'), true)
    await becomes(threadsOf('sh -c "while :; do :; done"; true'), true)
  })

  it('do not exist while it sleeps, and when it has ended', async () => {
    await becomes(threadsOf('sleep 60; true'), false)
    expect(new RunningThreads(2 ** 30).isAny).to.equal(false)
  })
})
