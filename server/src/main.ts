process.stdout.write('')
