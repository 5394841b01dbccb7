import { randomInt } from 'node:crypto'

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** As apimachinery's names: five characters without vowels and look-alikes. Each new pod asks for one, so they come from the bytes that Node keeps for `randomInt`. */
export const nameSuffix = (): string => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
