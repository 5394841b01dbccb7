/** Range of the addresses of simulated pods: 10.64.0.1 to 10.127.255.254. */
const FIRST = (10 << 24) | (64 << 16) | 1
const COUNT = (1 << 22) - 2

/** Gives each pod an address, and the same one as long as it exists. An address is given again once all others were. */
export class PodAddresses {
  readonly #byPod = new Map<string, number>()
  readonly #used = new Set<number>()
  #next = 0

  /** Returns the address of a pod by its uid. */
  of(uid: string): string {
    let offset = this.#byPod.get(uid)
    if (offset === undefined) {
      while (this.#used.has(this.#next)) this.#next = (this.#next + 1) % COUNT
      offset = this.#next
      this.#next = (this.#next + 1) % COUNT
      this.#byPod.set(uid, offset)
      this.#used.add(offset)
    }
    return addressText(FIRST + offset)
  }

  /** Records the address that a pod has already, if it is in the range. */
  note(uid: string, address: string): void {
    const offset = addressNumber(address) - FIRST
    if (offset < 0 || offset >= COUNT || this.#byPod.has(uid)) return
    this.#byPod.set(uid, offset)
    this.#used.add(offset)
  }

  release(uid: string): void {
    const offset = this.#byPod.get(uid)
    if (offset === undefined) return
    this.#byPod.delete(uid)
    this.#used.delete(offset)
  }
}

const addressText = (address: number): string => [24, 16, 8, 0].map(shift => (address >> shift) & 255).join('.')

const addressNumber = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
