import { main } from './process/main-program.ts'

main()
