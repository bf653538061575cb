import { main } from './src/main.ts'

// `npm run dev` starts the sources, so that it starts again when one changes.
await main(process.argv.slice(2))
