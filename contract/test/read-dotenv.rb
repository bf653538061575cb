# Reads a JSON list of .env texts from standard input, and writes what Ruby dotenv reads: one object for each.
require 'dotenv'
require 'json'

texts = JSON.parse($stdin.read.force_encoding('UTF-8'))
puts JSON.generate(texts.map { |text| Dotenv::Parser.call(text) })
