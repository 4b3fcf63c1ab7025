// Decodes words with AMD's isa_spec_manager: `decode SPECIFICATION.xml < WORDS`.
//
// A line of WORDS has the words of one instruction in hexadecimal. A line of output has its name, encoding and operands,
// separated by tabs, or `error` and a message. The decoder dereferences null for words that it cannot place, so a line is
// decoded in a process of its own if it fails.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "amdisa/isa_decoder.h"

// Text of one instruction.
static std::string Decoded(const amdisa::IsaDecoder& decoder, const std::vector<uint32_t>& words)
{
    std::vector<amdisa::InstructionInfoBundle> decoded;
    std::string message;
    if (!decoder.DecodeInstructionStream(words, decoded, message) || decoded.size() != 1)
    {
        return "error\t" + (message.empty() ? std::to_string(decoded.size()) + " instructions" : message);
    }
    const amdisa::InstructionInfo& info = decoded[0].bundle.at(0);
    std::string text = info.instruction_name + "\t" + info.encoding_name;
    for (const auto& operand : info.instruction_operands)
    {
        text += "\t" + operand.operand_name;
    }
    return text;
}

int main(int count, char** arguments)
{
    if (count != 2)
    {
        std::cerr << "usage: decode SPECIFICATION.xml < WORDS\n";
        return 2;
    }
    // The decoder writes warnings to standard output.
    std::ostream out(std::cout.rdbuf());
    std::cout.rdbuf(std::cerr.rdbuf());
    amdisa::IsaDecoder decoder;
    std::string message;
    if (!decoder.Initialize(arguments[1], message))
    {
        std::cerr << message << "\n";
        return 1;
    }
    std::vector<std::vector<uint32_t>> lines;
    for (std::string line; std::getline(std::cin, line);)
    {
        std::istringstream stream(line);
        lines.emplace_back();
        for (uint32_t word; stream >> std::hex >> word;)
        {
            lines.back().push_back(word);
        }
    }
    // A child decodes from `first` on and reports each line at once; the one at which it ends has failed.
    size_t first = 0;
    while (first < lines.size())
    {
        int ends[2];
        if (pipe(ends) != 0)
        {
            return 1;
        }
        out.flush();
        pid_t child = fork();
        if (child == 0)
        {
            for (size_t line = first; line < lines.size(); line++)
            {
                std::string text = Decoded(decoder, lines[line]) + "\n";
                if (write(ends[1], text.data(), text.size()) < 0)
                {
                    _exit(1);
                }
            }
            _exit(0);
        }
        close(ends[1]);
        char buffer[1 << 16];
        for (ssize_t length; (length = read(ends[0], buffer, sizeof buffer)) > 0;)
        {
            out.write(buffer, length);
            for (ssize_t i = 0; i < length; i++)
            {
                first += buffer[i] == '\n';
            }
        }
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        if (first < lines.size())
        {
            out << "error\tthe decoder crashed\n";
            first++;
        }
    }
    return 0;
}
