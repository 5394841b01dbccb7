import { expect } from 'chai'
import type { StagePlayer } from '../../../../src/cluster/kwok/engine/stage-player.ts'
import { FAST_POD_STAGES } from '../../../../src/cluster/kwok/stages/pod-stages.ts'
import { ShippedPlayers } from '../../../../src/cluster/nodes/shipped-players.ts'

describe('players of shipped stages', () => {
  it('are made once, when they are first needed', () => {
    const asked: unknown[] = []
    const player: unknown = { name: 'player' }
    const players = new ShippedPlayers(stages => {
      asked.push(stages)
      return player as StagePlayer
    })
    expect([...players.made()]).to.deep.equal([])
    expect(players.get('other')).to.equal(undefined)
    expect(players.get('')).to.equal(undefined)
    expect(asked).to.deep.equal([])
    expect(players.get('fast')).to.equal(player)
    expect(players.get('fast')).to.equal(player)
    expect(asked).to.deep.equal([FAST_POD_STAGES])
    expect([...players.made()]).to.deep.equal([player])
  })
})
